import type { PaymentService, PaymentServiceDefinition } from '@railyard/client'
import type { Tone } from '../../parts/values/tag.tsx'
import { paymentServiceWords } from '../../words/connections/payment-services.ts'

export function describeState({ active, is_deleted }: PaymentService): { text: string; tone: Tone } {
  if (is_deleted) return { text: paymentServiceWords.deleted, tone: 'quiet' }
  return active
    ? { text: paymentServiceWords.active, tone: 'good' }
    : { text: paymentServiceWords.paused, tone: 'warn' }
}

/** What a definition can do, in words; what works with the simulator only says so. */
export const describeFeatures = ({
  supported_features,
  simulated_features,
}: PaymentServiceDefinition): { feature: string; text: string; simulated: boolean }[] =>
  Object.entries(supported_features)
    .filter(([, has]) => has)
    .map(([feature]) => ({
      feature,
      text: paymentServiceWords.features[feature] ?? feature.replaceAll('_', ' '),
      simulated: simulated_features.includes(feature),
    }))

/** Whether all that a definition can do works with the simulator only. */
export const isSimulator = (definition: PaymentServiceDefinition): boolean =>
  definition.simulated_features.length > 0 && describeFeatures(definition).every(({ simulated }) => simulated)
