import { type Static, Type } from 'typebox'
import type { Routes } from '../api/routes.ts'
import { Closed, Text, Words } from '../api/schema.ts'

const AntiFraudServiceDefinition = Closed('AntiFraudServiceDefinition', {
  type: Type.Literal('anti-fraud-service-definition'),
  id: Text(1, 50),
  display_name: Text(1, 200),
  fields: Type.Array(
    Closed('AntiFraudServiceDefinitionField', {
      key: Text(1, 50),
      display_name: Text(1, 200),
      required: Type.Boolean(),
      format: Words('text', 'multiline', 'file', 'number', 'timezone', 'boolean'),
      secret: Type.Boolean(),
    }),
  ),
})
type AntiFraudServiceDefinition = Static<typeof AntiFraudServiceDefinition>

const AntiFraudServiceDefinitions = Closed('AntiFraudServiceDefinitions', {
  items: Type.Array(AntiFraudServiceDefinition),
})

export const antiFraudDefinitionRoutes: Routes = (app, { antiFraudConnectors }) => {
  app.get(
    '/anti-fraud-service-definitions',
    {
      config: { scopes: ['anti-fraud-service-definitions.read'], merchantScoped: false },
      schema: {
        operationId: 'list_anti_fraud_service_definitions',
        summary: 'List anti-fraud service definitions',
        description:
          'The kinds of anti-fraud services that can be configured, and which fields each asks for.',
        tags: ['Anti-fraud services'],
        response: { 200: AntiFraudServiceDefinitions },
      },
    },
    async () => ({
      items: Array.from(antiFraudConnectors.values(), ({ definition }) => definition)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map(
          ({ id, displayName, fields }): AntiFraudServiceDefinition => ({
            type: 'anti-fraud-service-definition',
            id,
            display_name: displayName,
            fields: fields.map(({ key, displayName, required, format, secret }) => ({
              key,
              display_name: displayName,
              required,
              format,
              secret,
            })),
          }),
        ),
    }),
  )
}
