import { Type } from 'typebox'
import { Closed, Nullable } from '../api/schema.ts'

const End = Type.Optional(Nullable(Type.String({ maxLength: 64 })))

/** A window that may be left out: null or absent means any time. */
export const Window = Type.Optional(Nullable(Closed('ReportDateWindow', { start: End, end: End })))

/** A window that a report must have. */
export const RequiredWindow = Closed('ReportDateWindow', { start: End, end: End })
