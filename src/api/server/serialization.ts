import build from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

type Schema = Parameters<typeof build>[0] & object
type Serialize = (value: unknown) => string

/**
 * Several operations answer the same shape, and several instances in one process have the same operations:
 * each shape is compiled once.
 */
const compiled = new WeakMap<Schema, Serialize>()

/**
 * Serializes answers by their schema, so that a member that the schema lacks cannot leak. Compiled at first
 * use, as validators are.
 */
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
