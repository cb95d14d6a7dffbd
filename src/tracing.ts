/** What of the work a trace shows: steps with their names, how long they took, and which belongs into which. */
export interface Tracing {
  /** Does `work` as a step, within the one that is under way. What it throws, the step shows as an error, without a word of it. */
  step<T>(name: string, about: Step, work: (noted: Noted) => Promise<T>): Promise<T>
  /** Sends on what is not sent yet, and ends. */
  close(): Promise<void>
}

export interface Step {
  /** `client`: somebody outside is asked. Default `internal`. */
  kind?: 'internal' | 'client'
  /** True where nobody's request began it: it is a trace of its own. */
  begins?: boolean
  /** Asked only where somebody wants traces. */
  attributes?: () => Attributes
}

/** Never card data, a credential, a body or an address with a query. */
export type Attributes = Record<string, string | number | boolean>

/** What is known of a step only while it is done. */
export interface Noted {
  attributes(more: Attributes): void
  /** It did not do what it was for; `type` is a word of ours or a status. */
  failed(type: string): void
}

const nothing: Noted = { attributes: () => undefined, failed: () => undefined }

/** Nobody wants traces: the work is done, and nothing else. */
export const noTracing: Tracing = { step: (_name, _about, work) => work(nothing), close: async () => undefined }
