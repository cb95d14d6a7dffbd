import { Type } from 'typebox'
import { notFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { pageQuery, Uuid } from '../api/schema.ts'
import { newestFirstPosition } from '../database/rows/newest-first.ts'
import { hostedScripts } from './hosted-scripts.ts'
import { HostedPageScripts, PageIncident, PageIncidents, PageIncidentUpdate } from './page-incident.schema.ts'
import {
  findPageIncident,
  listPageIncidents,
  showPageIncident,
  updatePageIncident,
} from './page-incident.store.ts'

const tags = ['Hosted pages']
const params = Type.Object({ page_incident_id: Uuid })
const read = { scopes: ['monitoring.read'] }

/** The inventory of scripts of Railyard's own pages, and the incidents of these pages. */
export const pageIncidentRoutes: Routes = (app, world) => {
  app.get(
    '/hosted-pages/scripts',
    {
      config: read,
      schema: {
        operationId: 'list_hosted_page_scripts',
        summary: 'List scripts of hosted pages',
        description:
          'Every script that Railyard’s own pages for buyers run, with its hash and its purpose, and Google’s for pages that offer Google Pay (PCI DSS 4.0.1, 6.4.3). The policies of the pages block every other script.',
        tags,
        headers,
        response: { 200: HostedPageScripts },
      },
    },
    async () => ({ items: hostedScripts(world) }),
  )

  app.get(
    '/hosted-pages/incidents',
    {
      config: read,
      schema: {
        operationId: 'list_hosted_page_incidents',
        summary: 'List incidents of hosted pages',
        description:
          'What browsers have blocked on Railyard’s own pages, and changes of these pages on their way to browsers (PCI DSS 4.0.1, 11.6.1). The newest first.',
        tags,
        headers,
        querystring: Type.Object(pageQuery()),
        response: { 200: PageIncidents },
      },
    },
    ({ query, account }) =>
      answerPage(world.cipher, JSON.stringify(['page-incidents', account]), query, {
        read: (page) => listPageIncidents(world, account, page),
        positionOf: newestFirstPosition,
        show: showPageIncident,
      }),
  )

  app.get(
    '/hosted-pages/incidents/:page_incident_id',
    {
      config: read,
      schema: {
        operationId: 'get_hosted_page_incident',
        summary: 'Get an incident of a hosted page',
        description: 'One incident by its id.',
        tags,
        headers,
        params,
        response: { 200: PageIncident },
      },
    },
    async ({ params: { page_incident_id: id }, account }) => {
      const incident = await findPageIncident(world, account, id)
      if (!incident) throw notFound()
      return showPageIncident(incident)
    },
  )

  app.put(
    '/hosted-pages/incidents/:page_incident_id',
    {
      config: { scopes: ['monitoring.write'] },
      schema: {
        operationId: 'update_hosted_page_incident',
        summary: 'Update an incident of a hosted page',
        description: 'Changes the notes of an incident, or closes it.',
        tags,
        headers,
        params,
        body: PageIncidentUpdate,
        response: { 200: PageIncident },
      },
    },
    async ({ params: { page_incident_id: id }, body, account }) => {
      const incident = await updatePageIncident(world, account, id, body)
      if (!incident) throw notFound()
      return showPageIncident(incident)
    },
  )
}
