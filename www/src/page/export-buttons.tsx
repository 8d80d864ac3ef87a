// Below a figure: the figure as SVG and as PNG.
import { savePng, saveSvg } from "./figure-export";
import { messages } from "./language";

interface ExportButtonsProps {
  /** Of the file, without its ending. */
  name: string;
  /** The figure as it is now. */
  svg: () => string | null;
}

export function ExportButtons({ name, svg }: ExportButtonsProps) {
  const words = messages.value.figures;
  const withSvg = (use: (svg: string) => void) => {
    const text = svg();
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
