import type { FastifyInstance } from 'fastify'

/** What of the work a trace shows: steps with their names, how long they took, and which belongs into which. */
export interface Tracing {
  /** Does `work` as a step, within the one that is under way. Of what it throws the step shows that it did, and not a word of it. */
  step<T>(name: string, about: StepOptions, work: (noted: StepNotes) => Promise<T>): Promise<T>
  /** Makes a step of each request to this server. Before its hooks and routes are added. */
  traceRequests(app: FastifyInstance): Promise<void>
  /** Sends what is not sent yet, and ends. */
  close(): Promise<void>
}

export interface StepOptions {
  /** `client`: somebody outside is asked. Default `internal`. */
  kind?: 'internal' | 'client'
  /** True where nobody's request began it: it is a trace of its own. */
  startsTrace?: boolean
  /** Asked only where somebody wants traces. */
  attributes?: () => Attributes
}

/** Never card data, a credential, a body or an address with its path. */
export type Attributes = Record<string, string | number | boolean>

/** What is known of a step only while it is done. */
export interface StepNotes {
  attributes(more: Attributes): void
  /** It did not do what it was for; `type` is a word of ours or a status. */
  failed(type: string): void
}

const noNotes: StepNotes = { attributes: () => undefined, failed: () => undefined }

/** Nobody wants traces: the work is done, and nothing else. */
export const noTracing: Tracing = {
  step: (_name, _about, work) => work(noNotes),
  traceRequests: async () => undefined,
  close: async () => undefined,
}
