import type { FastifyRequest } from 'fastify'
import type { World } from '../world.ts'
import type { ApprovalOperation, ApprovalTarget } from './values/approval-target.ts'

/** How a route takes part in approvals. The functions get validated requests. */
export interface ApprovalTerms {
  /** Empty: this request needs no approval, such as a correction of metadata alone. */
  operations: (request: FastifyRequest) => readonly ApprovalOperation[]
  /** Throws 404 if the resource is missing. */
  target: (world: World, request: FastifyRequest) => Promise<ApprovalTarget>
  /** Throws 400 for a request that cannot be proposed. Absent: each can. */
  refuseProposal?: (request: FastifyRequest) => void
  /** The body as people see it, without secrets and personal data. Absent: as it was sent. */
  shownBody?: (
    body: Record<string, unknown>,
    about: { world: World; account: string; target: ApprovalTarget },
  ) => Record<string, unknown> | Promise<Record<string, unknown>>
  /** True: the answer has a credential that is answered once. The requester of a proposal takes it. */
  answersCredential?: true
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: the operation never needs approval, and cannot be proposed. */
    approval?: ApprovalTerms
  }
}
