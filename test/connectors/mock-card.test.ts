import { connectorContract } from '../support/connector-contract.ts'
import { mockCardEntry } from './simulators.ts'

connectorContract(...mockCardEntry)
