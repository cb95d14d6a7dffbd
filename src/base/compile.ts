import type { Static, TSchema } from 'typebox'
import { Compile as compileNow } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'

/** Checks whether a value has a schema's shape. */
export interface Validator<Schema extends TSchema = TSchema> {
  Check(value: unknown): value is Static<Schema>
  /** What is wrong with a value that `Check` refuses. */
  Errors(value: unknown): TLocalizedValidationError[]
}

/**
 * Compiles a schema when its check is first used: a process loads every connector and simulator, and uses few
 * of them. That keeps a start short.
 */
export function Compile<Schema extends TSchema>(schema: Schema): Validator<Schema> {
  let compiled: ReturnType<typeof compileNow<Schema>> | undefined
  const validator = () => {
    compiled ??= compileNow(schema)
    return compiled
  }
  return {
    Check: (value): value is Static<Schema> => validator().Check(value),
    Errors: (value) => validator().Errors(value),
  }
}
