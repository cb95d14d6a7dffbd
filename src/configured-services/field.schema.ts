import { type Static, Type } from 'typebox'
import { Closed, Text } from '../api/schema.ts'

/** A field that a merchant fills in to configure a service. */
export const Field = Closed('Field', {
  key: Text(1, 50),
  value: Text(1, 10000),
})
export type Field = Static<typeof Field>

/** On an update; an empty value removes the field. */
export const VoidableField = Closed('VoidableField', {
  key: Text(1, 50),
  value: Type.Union([Text(1, 10000), Type.Literal('')]),
})
export type VoidableField = Static<typeof VoidableField>
