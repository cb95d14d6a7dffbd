import build from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

type Schema = Parameters<typeof build>[0] & object
type Serialize = (value: unknown) => string

/** Operations share what they answer, and the instances of one process share operations: each shape is compiled once for all of them. */
const compiled = new WeakMap<Schema, Serialize>()

/** Answers are written from their schema, so that nothing leaks which it does not name. Compiled at first use, as validators are. */
export const serializerCompiler: FastifySerializerCompiler<Schema> = ({ schema }) => {
  let serialize: Serialize | undefined
  return (value: unknown) => {
    serialize ??= serializerOf(schema)
    return serialize(value)
  }
}

function serializerOf(schema: Schema): Serialize {
  const serialize = compiled.get(schema) ?? build(schema)
  compiled.set(schema, serialize)
  return serialize
}
