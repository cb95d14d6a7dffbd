import { Type } from 'typebox'
import { answerPage, type PageRequest } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { pageQuery } from '../../api/schema.ts'
import { showRole } from './role.representation.ts'
import { Roles } from './role.schema.ts'
import { type Role, roles } from './role.ts'

export const roleRoutes: Routes = (app, world) => {
  app.get(
    '/roles',
    {
      config: { scopes: ['roles.read'], merchantScoped: false },
      schema: {
        operationId: 'list_roles',
        summary: 'List roles',
        description:
          'The roles that people and API key pairs can have, sorted by name. Roles are the same in every instance and do not change.',
        tags: ['Roles'],
        querystring: Type.Object(pageQuery()),
        response: { 200: Roles },
      },
    },
    async ({ query }) =>
      answerPage(world.cipher, 'roles', query, {
        read: rolesOnPage,
        positionOf: ({ name, id }) => ({ key: name, id }),
        show: showRole,
      }),
  )
}

/** By code point, in every locale. */
const byName = (one: Role, other: Role) => (one.name < other.name ? -1 : 1)

/** Up to one role more than the page has, sorted by name; in reverse order for the previous page. */
function rolesOnPage({ limit, position }: PageRequest): Role[] {
  const sorted = roles.toSorted(byName)
  if (!position) return sorted.slice(0, limit + 1)
  const beyond =
    position.direction === 'next'
      ? sorted.filter(({ name }) => name > position.key)
      : sorted.filter(({ name }) => name < position.key).reverse()
  return beyond.slice(0, limit + 1)
}
