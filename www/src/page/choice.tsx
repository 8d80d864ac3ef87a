// A row of radio buttons that looks like one control. The browser does the keyboard.

interface Option<T extends string> {
  value: T;
  label: string;
}

interface ChoiceProps<T extends string> {
  legend: string;
  name: string;
  options: readonly Option<T>[];
  value: T;
  onChoose: (value: T) => void;
  /** One sentence on what the chosen option means. */
  hint?: string;
}

export function Choice<T extends string>({ legend, name, options, value, onChoose, hint }: ChoiceProps<T>) {
  return (
    <fieldset class="choice">
      <legend>{legend}</legend>
      <div class="segments">
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChoose(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
      {hint && <p class="hint">{hint}</p>}
    </fieldset>
  );
}
