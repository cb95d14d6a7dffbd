import type { FastifyInstance } from 'fastify'

/** Traces: named steps with their durations, nested in each other. */
export interface Tracing {
  /**
   * Runs `work` as a step inside the current one. If it throws, the step shows the failure, and nothing of
   * the error's text.
   */
  step<T>(name: string, about: StepOptions, work: (notes: StepNotes) => Promise<T>): Promise<T>
  /** Makes each request to this server a step. Call it before hooks and routes are added. */
  traceRequests(app: FastifyInstance): Promise<void>
  /** Sends the steps that are not sent yet, and stops. */
  close(): Promise<void>
}

export interface StepOptions {
  /** `client`: a request to another system. Default `internal`. */
  kind?: 'internal' | 'client'
  /** True for background work, which no request began: it is a trace of its own. */
  startsTrace?: boolean
  /** Called only if traces are sent. */
  attributes?: () => Attributes
}

/** Never card data, a credential, a body or an address with its path. */
export type Attributes = Record<string, string | number | boolean>

/** Adds to a step what is known only while it runs. */
export interface StepNotes {
  attributes(more: Attributes): void
  /** The step failed; `type` is one of Railyard's words, or a status. */
  failed(type: string): void
}

const noNotes: StepNotes = { attributes: () => undefined, failed: () => undefined }

/** Without traces: runs the work, and nothing else. */
export const noTracing: Tracing = {
  step: (_name, _about, work) => work(noNotes),
  traceRequests: async () => undefined,
  close: async () => undefined,
}
