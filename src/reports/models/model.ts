import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { Static, TSchema } from 'typebox'
import { compiledOnce } from '../../api/server/validation.ts'
import type { ArchivedTable } from '../../archive/archived-columns.ts'
import type { PaymentSources } from '../../archive/read-archived.ts'
import type { ReportSchedule } from '../../database/tables/reports.ts'
import type { World } from '../../world.ts'
import type { ReportContext, ResolvedWindow } from '../date-window.ts'

/** A cell of a file. An object is written as JSON, null as an empty cell. */
export type Cell = string | number | boolean | null | Record<string, unknown>

/** What a model needs to make the rows of an execution. */
export interface ReportInput {
  world: World
  /** Where `world` reads payments: statements name these instead of the tables. */
  sources: PaymentSources
  account: string
  schedule: ReportSchedule
  context: ReportContext
}

/** A kind of report (semantics §16.6). */
export interface ReportModel {
  /** The problems of the parameters: JSON pointer within `params` → message. Empty: none. */
  problems(params: unknown): Record<string, string>
  /** Whether a file has names, addresses or other billing details of buyers. */
  isPersonal(params: unknown): boolean
  /**
   * Whether a file has any personal data, also the merchant's references to buyers and its notes about them.
   */
  canIdentifyPeople(params: unknown): boolean
  /** The names of the columns. */
  columns(params: unknown): readonly string[]
  /** The tables of payments that the report reads. */
  tables: readonly ArchivedTable[]
  /** Each payment of the report has a time in every one of these. Empty: it is about all times. */
  windows(params: unknown, period: ReportPeriod): ResolvedWindow[]
  /** The rows, in batches; one batch is in memory. */
  rows(params: unknown, input: ReportInput): AsyncIterable<Cell[][]>
}

/** What the time of a report depends on. */
export type ReportPeriod = Pick<ReportInput, 'schedule' | 'context'>

interface ModelParts<P> {
  problems?(params: P): Record<string, string>
  isPersonal?(params: P): boolean
  canIdentifyPeople?(params: P): boolean
  columns(params: P): readonly string[]
  tables: readonly ArchivedTable[]
  windows(params: P, period: ReportPeriod): ResolvedWindow[]
  rows(params: P, input: ReportInput): AsyncIterable<Cell[][]>
}

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, validateSchema: false, meta: false })

/**
 * A model whose parameters have this schema. The API's schema allows any object, so a wrong shape is a broken
 * rule: a 400 with pointers.
 */
export function defineModel<Params extends TSchema>(
  shape: Params,
  parts: ModelParts<Static<Params>>,
): ReportModel {
  const validator = compiledOnce<Static<Params>>(ajv, shape)
  const fits = (params: unknown): params is Static<Params> => validator()(params)
  const read = (params: unknown): Static<Params> => {
    if (fits(params)) return params
    throw new Error('the parameters of the report are of another version')
  }
  return {
    problems: (params) =>
      fits(params) ? (parts.problems?.(params) ?? {}) : describeErrors(validator().errors ?? []),
    isPersonal: (params) => !fits(params) || (parts.isPersonal?.(params) ?? false),
    canIdentifyPeople: (params) => !fits(params) || (parts.canIdentifyPeople?.(params) ?? false),
    columns: (params) => parts.columns(read(params)),
    tables: parts.tables,
    windows: (params, period) => parts.windows(read(params), period),
    rows: (params, input) => parts.rows(read(params), input),
  }
}

const MAX_PROBLEMS = 100

const describeErrors = (errors: ErrorObject[]): Record<string, string> =>
  Object.fromEntries(
    errors.slice(0, MAX_PROBLEMS).map((error) => [`${error.instancePath}${missing(error)}`, wording(error)]),
  )

/**
 * The pointer of a missing member. An unknown member is not repeated in the answer: the pointer is that of
 * its object.
 */
const missing = ({ keyword, params }: ErrorObject): string =>
  keyword === 'required' ? `/${params['missingProperty']}` : ''

function wording({ keyword, params, message = 'is invalid' }: ErrorObject): string {
  if (keyword === 'required') return 'is missing'
  if (keyword === 'enum')
    return `must be one of ${params['allowedValues'].map((word: unknown) => word ?? 'null').join(', ')}`
  return keyword === 'additionalProperties' ? 'has a member that is not known here' : message
}
