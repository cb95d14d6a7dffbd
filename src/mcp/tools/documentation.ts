import { Type } from 'typebox'
import { Described, Text } from '../../api/schema.ts'
import { ApiRefusal } from '../call-api.ts'
import { documents } from '../documents/documents.ts'
import { searchDocuments } from '../documents/search.ts'
import { Input, Output, reads, tool } from '../tool.ts'

const optional = Type.Optional

export const searchDocumentation = tool({
  name: 'search_documentation',
  title: 'Search the documentation',
  description:
    'Finds sections of Railyard’s documentation of this version: guides, concepts, reference and operation.',
  input: Input({
    query: Described(Text(2, 200), 'Words of the subject: partial refund dispute'),
    limit: optional(Type.Integer({ minimum: 1, maximum: 10, default: 5 })),
  }),
  output: Output({
    sections: Type.Array(
      Type.Object({ path: Type.String(), heading: Type.String(), excerpt: Type.String() }),
    ),
  }),
  annotations: reads,
  scopes: [],
  run: async ({ query, limit = 5 }) => ({ sections: searchDocuments(query, limit) }),
})

const MAX_TEXT = 20_000

export const readDocument = tool({
  name: 'read_document',
  title: 'Read a document',
  description: 'One page of the documentation, by the path that search_documentation answers.',
  input: Input({
    path: Described(Text(1, 200), 'Such as guides/routing.md'),
    offset: optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'From which character' }),
    ),
  }),
  output: Output({
    path: Type.String(),
    title: Type.String(),
    text: Type.String(),
    next_offset: Described(Type.Union([Type.Integer(), Type.Null()]), 'Where it goes on; null: it ends here'),
  }),
  annotations: reads,
  scopes: [],
  async run({ path, offset = 0 }) {
    const document = documents().get(path)
    if (!document)
      throw new ApiRefusal({
        status: 404,
        body: { code: 'not_found', message: 'There is no such page; search_documentation answers paths' },
      })
    const end = offset + MAX_TEXT
    return {
      path,
      title: document.title,
      text: document.text.slice(offset, end),
      next_offset: end < document.text.length ? end : null,
    }
  },
})
