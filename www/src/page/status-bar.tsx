// What holds now: the device, the model, the numerics, and how far equal bits were verified here.
import { CopyLink } from "./copy-link";
import type { Form } from "./form";
import { messages } from "./language";
import { offline } from "./offline";
import type { Session } from "./session";
import { ShortcutsDialog } from "./shortcuts-dialog";
import { titleOf } from "./sources";

interface StatusBarProps {
  session: Session;
  form: Form;
}

export function StatusBar({ session, form }: StatusBarProps) {
  const { bar } = messages.value;
  const facts: [string, string][] = [
    [bar.device, deviceWords(session)],
    [bar.model, modelWords(session)],
    [bar.formats, form.formats.value],
    [bar.order, bar.orders[form.order.value]],
    [bar.verified, verifiedWords(session)],
    [bar.offline, bar.offlineReady[offline.value]],
  ];
  return (
    <>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <CopyLink session={session} form={form} />
      <ShortcutsDialog />
    </>
  );
}

function deviceWords(session: Session): string {
  const { bar } = messages.value;
  const adapter = session.adapter.value;
  switch (adapter.kind) {
    case "checking":
      return bar.checking;
    case "found":
      return adapter.probe.software ? bar.software(adapter.probe.name) : adapter.probe.name;
    case "failed":
      return bar.noGpu;
    case "cpu-twin":
      return bar.cpuTwin;
  }
}

function modelWords(session: Session): string {
  const model = session.model.value;
  return model.kind === "ready" ? titleOf(model.selection) : messages.value.bar.noModel;
}

/** Of the comparison on show: a level is told with what it was verified for. */
function verifiedWords(session: Session): string {
  const { bar } = messages.value;
  const state = session.comparison.value;
  if (state.kind !== "done" || state.comparison.claim === null) return bar.nothingVerified;
  // Another model was loaded since: nothing is known of that one.
  if (session.model.value.kind === "ready" && !session.hasItsModel.value) return bar.nothingVerified;
  const { formats, order } = state.comparison;
  const { shapes, twin } = session.why;
  const checked = [twin.value, shapes.value].map((check) =>
    check.kind === "done" ? check.found?.claim : null,
  );
  const claim = checked.find((level) => level) ?? state.comparison.claim;
  return bar.claim(claim, bar.levels[claim], formats, bar.orders[order]);
}
