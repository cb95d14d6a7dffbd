import type { Condition, Leaf } from '@railyard/client'
import { parseAmount, typedAmount } from '../../format/amount.ts'
import { routingWords } from '../../words/connections/routing.ts'
import {
  type FieldName,
  fieldKinds,
  type Kind,
  kindOperators,
  type Operator,
  weekdays,
} from './condition-fields.ts'

const words = routingWords.condition.problem

/** A question as a person edits it: everything is text until it is sent. */
export interface LeafDraft {
  is: 'leaf'
  key: string
  negated: boolean
  field: FieldName
  /** Of the metadata. */
  name: string
  operator: Operator
  /** What it is compared with: the one value, or the first of a range. */
  value: string
  /** The other end of a range. */
  to: string
  /** Several values, or days. */
  values: readonly string[]
  zone: string
  /** Of an amount; empty: of whatever the payment has. */
  currency: string
}

export interface GroupDraft {
  is: 'group'
  key: string
  negated: boolean
  mode: 'all' | 'any'
  children: readonly Draft[]
}

export type Draft = LeafDraft | GroupDraft

const newKey = () => crypto.randomUUID()

export const newGroup = (children: readonly Draft[] = []): GroupDraft => ({
  is: 'group',
  key: newKey(),
  negated: false,
  mode: 'all',
  children,
})

export function newLeaf(field: FieldName = 'amount', before?: LeafDraft): LeafDraft {
  const kind: Kind = fieldKinds[field]
  return {
    is: 'leaf',
    key: before?.key ?? newKey(),
    negated: before?.negated ?? false,
    field,
    name: '',
    operator: kindOperators[kind][0],
    value: kind === 'truth' ? 'true' : kind === 'hours' ? '09:00' : '',
    to: kind === 'hours' ? '17:00' : '',
    values: [],
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    currency: before?.currency ?? 'EUR',
  }
}

/** The condition of a rule, to be edited: its root is a group. */
export function toDraft(condition: Condition): GroupDraft {
  const draft = draftOf(condition)
  return draft.is === 'group' ? draft : newGroup([draft])
}

function draftOf(condition: Condition): Draft {
  if ('not' in condition) {
    const inner = draftOf(condition.not)
    return { ...inner, negated: !inner.negated }
  }
  if ('all' in condition) return { ...newGroup(condition.all.map(draftOf)), mode: 'all' }
  if ('any' in condition) return { ...newGroup(condition.any.map(draftOf)), mode: 'any' }
  return leafOf(condition)
}

function leafOf(leaf: Leaf): LeafDraft {
  const { field, operator, value, currency } = leaf
  const isMetadata = field.startsWith('metadata.')
  const draft = {
    ...newLeaf(isMetadata ? 'metadata' : (field as FieldName)),
    name: isMetadata ? field.slice('metadata.'.length) : '',
    currency: currency ?? '',
  }
  if (operator === 'is_null') return { ...draft, operator: value ? 'unknown' : 'known' }
  const amount = (of: number) => (currency ? typedAmount(of, currency) : String(of))
  if (typeof value === 'number') return { ...draft, operator, value: amount(value) }
  if (typeof value === 'boolean') return { ...draft, operator, value: String(value) }
  if (typeof value === 'string') return { ...draft, operator, value }
  if (Array.isArray(value))
    return {
      ...draft,
      operator,
      values: value.map((each) => (typeof each === 'string' ? each : `${each.from}-${each.to}`)),
    }
  if ('days' in value) return { ...draft, operator, values: value.days, zone: value.time_zone }
  if ('time_zone' in value)
    return { ...draft, operator, value: value.from, to: value.to, zone: value.time_zone }
  return { ...draft, operator, value: amount(value.from), to: amount(value.to) }
}

const amountOf = ({ currency }: LeafDraft, text: string): number | undefined =>
  currency ? parseAmount(text, currency) : /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined

/** What is wrong with a part before it is sent; undefined: nothing that can be seen here. */
export function draftProblem(draft: Draft): string | undefined {
  // no part of an empty group is false, and none is true
  if (draft.is === 'group')
    return draft.mode === 'any' && draft.children.length === 0 ? words.group : undefined
  const { field, operator, value, to, values, name } = draft
  const kind = fieldKinds[field]
  if (kind === 'metadata' && !name) return words.key
  if (operator === 'known' || operator === 'unknown') return undefined
  switch (kind) {
    case 'amount': {
      const isWrong = amountOf(draft, value) === undefined
      const isEndWrong = operator === 'between' && amountOf(draft, to) === undefined
      return isWrong || isEndWrong ? (draft.currency ? words.amount : words.wholeAmount) : undefined
    }
    case 'bin': {
      const shape = operator === 'in_range' ? /^\d{6,8}-\d{6,8}$/ : /^\d{1,8}$/
      return values.length === 0 || !values.every((each) => shape.test(each))
        ? operator === 'in_range'
          ? words.ranges
          : words.prefixes
        : undefined
    }
    case 'days':
      return values.length === 0 ? words.days : undefined
    case 'hours':
      return value && to ? undefined : words.time
    case 'instant':
      return Number.isNaN(new Date(value).getTime()) ? words.time : undefined
    default:
      return (operator === 'in' ? values.length > 0 : value !== '') ? undefined : words.value
  }
}

/** Whether every part can be sent. */
export const isComplete = (draft: Draft): boolean =>
  draftProblem(draft) === undefined && (draft.is === 'leaf' || draft.children.every(isComplete))

/** The condition to send, and where each part stands in it, by JSON pointer. */
export function toCondition(root: GroupDraft): { condition: Condition; pointers: Map<string, string> } {
  const pointers = new Map<string, string>()
  // a rule with one question is that question alone
  const [only, ...others] = root.children
  const top = only && others.length === 0 && only.is === 'leaf' && !root.negated ? only : root
  return { condition: conditionOf(top, '/condition', pointers), pointers }
}

function conditionOf(draft: Draft, at: string, pointers: Map<string, string>): Condition {
  const pointer = draft.negated ? `${at}/not` : at
  pointers.set(draft.key, pointer)
  const inner: Condition =
    draft.is === 'leaf'
      ? leafToSend(draft)
      : draft.mode === 'all'
        ? {
            all: draft.children.map((child, index) =>
              conditionOf(child, `${pointer}/all/${index}`, pointers),
            ),
          }
        : {
            any: draft.children.map((child, index) =>
              conditionOf(child, `${pointer}/any/${index}`, pointers),
            ),
          }
  return draft.negated ? { not: inner } : inner
}

function leafToSend(draft: LeafDraft): Leaf {
  const { field, operator, value, to, values, zone, name, currency } = draft
  const kind = fieldKinds[field]
  const known = kind === 'metadata' ? `metadata.${name}` : field
  // the server checks that field, operator and value belong together, as the draft's kind has put them together
  const leaf = (operator: string, value: unknown) =>
    ({ field: known, operator, value, ...(kind === 'amount' && currency && { currency }) }) as Leaf
  if (operator === 'known' || operator === 'unknown') return leaf('is_null', operator === 'unknown')
  switch (kind) {
    case 'amount': {
      const from = amountOf(draft, value)
      return leaf(operator, operator === 'between' ? { from, to: amountOf(draft, to) } : from)
    }
    case 'bin':
      return leaf(
        operator,
        operator === 'in_range'
          ? values.map((each) => ({ from: each.split('-')[0], to: each.split('-')[1] }))
          : values,
      )
    case 'truth':
      return leaf(operator, value === 'true')
    case 'hours':
      return leaf(operator, { from: value, to, time_zone: zone })
    case 'days':
      return leaf(operator, { days: weekdays.filter((day) => values.includes(day)), time_zone: zone })
    default:
      return leaf(operator, operator === 'in' ? values : value)
  }
}
