import { Type } from 'typebox'
import { Closed, Nullable } from '../api/schema.ts'

const End = Type.Optional(Nullable(Type.String({ maxLength: 64 })))

/** Null or absent: any time. */
export const Window = Type.Optional(Nullable(Closed('ReportDateWindow', { start: End, end: End })))

/** A window that must be given. */
export const RequiredWindow = Closed('ReportDateWindow', { start: End, end: End })
