// Below a figure: the figure as SVG and as PNG.
import { savePng, saveSvg } from "./figure-export";
import { messages } from "./language";

interface ExportButtonsProps {
  /** Of the file, without its ending. */
  name: string;
  /** What the figure shows, of which model and device; it stands in the file. */
  title: string;
  /** The figure as it is now. */
  svg: (title: string) => string | null;
}

export function ExportButtons({ name, title, svg }: ExportButtonsProps) {
  const words = messages.value.figures;
  const withSvg = (use: (svg: string) => void) => {
    const text = svg(title);
    if (text !== null) use(text);
  };
  return (
    <p class="exports">
      <button type="button" class="quiet" onClick={() => withSvg((text) => saveSvg(name, text))}>
        {words.saveSvg}
      </button>
      <button type="button" class="quiet" onClick={() => withSvg((text) => void savePng(name, text))}>
        {words.savePng}
      </button>
    </p>
  );
}
