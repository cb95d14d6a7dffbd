import type { Static, TObject, TProperties } from 'typebox'
import { Type } from 'typebox'
import type { CallApi } from './call-api.ts'
import type { DryRun, DryRunRequest } from './dry-run/dry-run.ts'

/** What a tool may use. */
export interface ToolContext {
  call: CallApi
  /** Does the request to a copy of the payment, in a sandbox in memory. */
  dryRun(request: DryRunRequest): Promise<DryRun>
  /** Tells the operator of an error that is a defect; the client gets no details. */
  reportFailure(error: unknown): void
}

/** What a client tells its model and its user about a tool. */
interface Annotations {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** A tool of the server. */
export interface Tool<I extends TObject = TObject, O extends TObject = TObject> {
  name: string
  title: string
  description: string
  input: I
  output: O
  annotations: Annotations
  /** The scopes of the API that it needs, or shows more with. */
  scopes: readonly string[]
  run(input: Static<I>, context: ToolContext): Promise<Static<O>>
}

/** A tool whose input and output have the types of its schemas. */
export const tool = <I extends TObject, O extends TObject>(definition: Tool<I, O>): Tool<I, O> => definition

/** The input of a tool: no members but these. */
export const Input = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

/** The output of a tool. Members may be added. */
export const Output = <P extends TProperties>(properties: P) => Type.Object(properties)

/** It reads and changes nothing. */
export const reads: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** It moves money, or what decides on money, at most once for each `request_id`. */
export const changes = (destructive: boolean): Annotations => ({
  readOnlyHint: false,
  destructiveHint: destructive,
  idempotentHint: true,
  openWorldHint: true,
})
