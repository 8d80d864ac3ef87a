//! The prompts of the experiments: open-ended chat messages of many kinds, from 5 to 120 words.
//!
//! They were written once, before the first run, and are never chosen, dropped or reworded by what they show: a rate measured on
//! screened prompts says nothing. An experiment of `n` prompts takes the first `n`.

/// What the second turn of a chat says (scenario S2), whatever the first was about.
pub const FOLLOW_UP: &str = "Thank you. Could you explain that again in other words and add one more example?";

/// First messages.
pub const PROMPTS: [&str; 40] = [
    "Tell me about the sea.",
    "Write a short story about a lighthouse keeper who finds a letter in a bottle.",
    "I have been learning to cook for a few months and I keep burning the garlic before the onions are soft. What am I doing wrong, and how would you change the order of things in the pan?",
    "Explain to a ten-year-old why the moon seems to change its shape.",
    "Give me some advice on how to make friends in a new city when you work from home.",
    "Describe a market square early in the morning, before the first customers come, in a way that lets me hear and smell it.",
    "What are good reasons to learn a musical instrument as an adult?",
    "My neighbour and I share a garden wall. Last winter a part of it fell over, and we cannot agree on who should pay for the repair. He says that his side was always in good condition, and I say that the roots of his tree pushed the stones apart. Neither of us wants to go to court, and we have been friends for more than ten years. How could we talk about this so that we find a fair solution, and what should each of us bring to the conversation?",
    "Write a poem about rain on a tin roof.",
    "Compare travelling by train with travelling by plane for a family with two small children.",
    "Suggest a plan for a quiet weekend at home without any screens, from Friday evening to Sunday night.",
    "How do bees find their way home?",
    "Write a polite letter to a landlord who has not answered three messages about a broken window.",
    "Imagine that cities had no cars at all. What would a normal Tuesday look like for a nurse who works the early shift, a boy who goes to school, and an old man who buys bread?",
    "What makes a good teacher, in your view?",
    "Write a Python function that counts how often each word occurs in a text, and explain how it works step by step.",
    "I am preparing a talk of five minutes for my colleagues about why backups matter. Most of them are not technical and think that nothing bad will ever happen to their files. Give me an opening that catches their attention, three points with a short example for each, and a last sentence that they will remember on the way home.",
    "Invent a new board game and explain its rules.",
    "Why do people enjoy sad songs?",
    "Summarise the advantages and the drawbacks of living in a small village, and then tell me which kind of person would be happy there.",
    "Tell me a fairy tale in which the dragon is right.",
    "How would you explain what a contract is to someone who has never signed one?",
    "What should I think about before I adopt a dog from a shelter?",
    "Describe the colour blue to a person who was born blind.",
    "Write a dialogue between a clock and a calendar who disagree about what time is.",
    "I want to run ten kilometres by the end of the summer, but right now I get out of breath after two. I can train on three days a week, never on Mondays, and my left knee sometimes hurts after long walks. Please suggest how I should build up over the next twelve weeks, and tell me which warning signs should make me stop and see a doctor.",
    "Name some habits that help against forgetting things.",
    "How does bread rise in the oven?",
    "Write an announcement for a village festival with music, a race for children and a cake contest.",
    "What could a museum of everyday objects show about our time in two hundred years?",
    "Explain the difference between weather and climate with an example from a garden.",
    "Give a friendly reply to a customer who complains that the blue cups in her parcel arrived in green.",
    "Write the first page of a detective novel that is set in a library at night.",
    "Which skills will still matter when machines can write and draw?",
    "My grandmother kept a diary for sixty years, and now the family has to decide what to do with forty notebooks in a handwriting that only two of us can read. Some want to publish parts of it, others think that it was never meant for strangers, and nobody has the time to copy all of it. What would you suggest, and which questions should we answer first?",
    "Explain how a bicycle stays upright.",
    "List ideas for a small balcony that gets sun only in the afternoon.",
    "What is the best way to say no to a good friend?",
    "Describe a day in the life of a raindrop, from the cloud to the river, as a story for bedtime.",
    "Discuss whether it is better to finish every book that you start.",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_vary_as_described() {
        let words: Vec<usize> = PROMPTS.iter().map(|prompt| prompt.split_whitespace().count()).collect();
        for half in [&words[..20], &words[20..]] {
            assert!(half.iter().all(|n| (5..=120).contains(n)), "{half:?}");
            assert!(half.iter().any(|n| *n <= 6) && half.iter().any(|n| *n >= 60), "{half:?}");
        }
        let mut distinct = PROMPTS.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), PROMPTS.len());
    }
}
