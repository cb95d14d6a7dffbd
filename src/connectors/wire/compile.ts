import type { Static, TSchema } from 'typebox'
import { Compile as compileNow } from 'typebox/compile'

/** Checks whether a value has a schema's shape. */
export interface ShapeCheck<Schema extends TSchema> {
  Check(value: unknown): value is Static<Schema>
}

/**
 * Compiles a schema when its check is first used: an instance loads every connector, and uses few of them.
 * That keeps a start short.
 */
export function Compile<Schema extends TSchema>(schema: Schema): ShapeCheck<Schema> {
  let compiled: ReturnType<typeof compileNow<Schema>> | undefined
  return {
    Check(value): value is Static<Schema> {
      compiled ??= compileNow(schema)
      return compiled.Check(value)
    },
  }
}
