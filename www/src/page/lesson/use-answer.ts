// An answer of the engine to a question that changes while a person tries things out: the newest one counts.
import { useEffect, useState } from "preact/hooks";
import type { EngineError, LessonRequest } from "../../shared/engine-records";
import type { AnswerOf, LessonSession } from "../lesson-session";

export interface Asked<Answer> {
  /** To the question as it is, or to the one before while that is being computed. */
  answer: Answer | null;
  isPending: boolean;
  error: EngineError | null;
}

/** Asks whenever the question becomes another one; null asks nothing. */
export function useAnswer<Request extends LessonRequest>(
  lesson: LessonSession,
  request: Request | null,
): Asked<AnswerOf<Request>> {
  const question = request === null ? null : JSON.stringify(request);
  const [asked, setAsked] = useState<Asked<AnswerOf<Request>> & { question: string | null }>({
    question: null,
    answer: null,
    isPending: false,
    error: null,
  });
  useEffect(() => {
    if (question === null || request === null) return;
    let isNewest = true;
    lesson.ask(request).then(
      (answer) => isNewest && setAsked({ question, answer, isPending: false, error: null }),
      (error: EngineError) => isNewest && setAsked({ question, answer: null, isPending: false, error }),
    );
    return () => {
      isNewest = false;
    };
  }, [question, lesson]);
  if (question === null) return { answer: null, isPending: false, error: null };
  return { ...asked, isPending: asked.question !== question };
}
