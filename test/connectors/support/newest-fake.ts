import type { FakeProvider } from '../../../src/connector-kit/fake-provider.ts'

/** A fake provider that has a clock. */
export type TimedFake = FakeProvider & { now(): number }

/**
 * Makes fakes for the suite of the connector kit. One connector talks to all of them, one after the other:
 * `clock` is the newest one's.
 */
export function newestFake<Fake extends TimedFake>(open: () => Fake) {
  let newest: Fake | undefined
  return {
    clock: { now: () => newest?.now() ?? 0 },
    provider(): Fake {
      newest = open()
      return newest
    },
  }
}
