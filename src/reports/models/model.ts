import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { Static, TSchema } from 'typebox'
import type { ReportSchedule } from '../../database/tables/reports.ts'
import type { World } from '../../world.ts'
import type { ReportContext } from '../date-window.ts'

/** A cell of a file. Objects are written as JSON, null as nothing. */
export type Cell = string | number | boolean | null | Record<string, unknown>

/** What a report is made of, by a model. */
export interface ReportInput {
  world: World
  account: string
  schedule: ReportSchedule
  context: ReportContext
}

/** A kind of report (SEMANTICS §16.6). */
export interface ReportModel {
  /** What is wrong with parameters, by their pointers from `params` on; empty: nothing. */
  problems(params: unknown): Record<string, string>
  /** Whether a file tells who buyers are and where they live, as far as we can tell. */
  isPersonal(params: unknown): boolean
  /** Whether a file may tell of people at all, also by what merchants call and note them by. */
  canIdentifyPeople(params: unknown): boolean
  /** The header. */
  columns(params: unknown): readonly string[]
  /** The rows, in batches: as many in memory at once as one has. */
  rows(params: unknown, making: ReportInput): AsyncIterable<Cell[][]>
}

interface ModelParts<P> {
  problems?(params: P): Record<string, string>
  isPersonal?(params: P): boolean
  canIdentifyPeople?(params: P): boolean
  columns(params: P): readonly string[]
  rows(params: P, making: ReportInput): AsyncIterable<Cell[][]>
}

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })

/** A model whose parameters have this shape. The API takes any object for them, so what does not fit is a broken rule: 400, with pointers. */
export function defineModel<Params extends TSchema>(shape: Params, parts: ModelParts<Static<Params>>): ReportModel {
  const fits = ajv.compile<Static<Params>>(shape)
  const read = (params: unknown): Static<Params> => {
    if (fits(params)) return params
    throw new Error('the parameters of the report are of another version')
  }
  return {
    problems: (params) => (fits(params) ? (parts.problems?.(params) ?? {}) : describeErrors(fits.errors ?? [])),
    isPersonal: (params) => !fits(params) || (parts.isPersonal?.(params) ?? false),
    canIdentifyPeople: (params) => !fits(params) || (parts.canIdentifyPeople?.(params) ?? false),
    columns: (params) => parts.columns(read(params)),
    rows: (params, making) => parts.rows(read(params), making),
  }
}

const MAX_PROBLEMS = 100

const describeErrors = (errors: ErrorObject[]): Record<string, string> =>
  Object.fromEntries(errors.slice(0, MAX_PROBLEMS).map((error) => [`${error.instancePath}${missing(error)}`, wording(error)]))

/** What is unknown is not repeated: the object that holds it is to blame. */
const missing = ({ keyword, params }: ErrorObject): string => (keyword === 'required' ? `/${params['missingProperty']}` : '')

function wording({ keyword, params, message = 'is invalid' }: ErrorObject): string {
  if (keyword === 'required') return 'is missing'
  if (keyword === 'enum') return `must be one of ${params['allowedValues'].map((word: unknown) => word ?? 'null').join(', ')}`
  return keyword === 'additionalProperties' ? 'has a member that is not known here' : message
}
