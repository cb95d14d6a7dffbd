import build from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

/** Answers are written from their schema, so that nothing leaks which it does not name. Compiled at first use, as validators are. */
export const serializerCompiler: FastifySerializerCompiler<Parameters<typeof build>[0]> = ({ schema }) => {
  let serialize: ((value: unknown) => string) | undefined
  return (value: unknown) => {
    serialize ??= build(schema)
    return serialize(value)
  }
}
