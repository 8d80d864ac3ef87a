// What a person is told before anything else on the page: a new version, and what a link brought.
import type { Form } from "./form";
import { LinkNote } from "./link-note";
import { NewVersionNote } from "./new-version-note";
import type { Session } from "./session";

export function Notes({ session, form }: { session: Session; form: Form }) {
  return (
    <>
      <NewVersionNote />
      <LinkNote session={session} form={form} />
    </>
  );
}
