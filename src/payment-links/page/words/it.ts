import * as declinedIn from '../../../checkout/decline-words.ts'
import type { Words } from './words.ts'

export const it: Words = {
  lang: 'it',
  sandbox: 'Ambiente di prova: non si muove denaro.',
  payTitle: (merchant) => `Pagamento a ${merchant}`,
  order: 'Il Suo ordine',
  quantity: (count) => `Quantità: ${count}`,
  total: 'Totale',
  payWith: 'Come desidera pagare?',
  redirectHint: (method) => `Passerà a ${method} per approvare il pagamento e poi tornerà qui.`,
  storedCard: { ending: 'che termina con', expires: (date) => `Scade ${date}` },
  otherCard: 'Un’altra carta',
  name: { label: 'Nome sulla carta', missing: 'Inserisca il nome come appare sulla carta.' },
  keepsCard: (merchant) =>
    `La Sua carta viene conservata in modo sicuro per i prossimi pagamenti a ${merchant}.`,
  pay: (amount) => `Paga ${amount}`,
  reserves: (merchant) => `L’importo viene riservato ora. ${merchant} lo addebiterà più tardi.`,
  confirm: 'Conferma',
  goOn: (method) => `Continua con ${method}`,
  paying: 'Pagamento in corso…',
  private: (merchant) => `I dati della Sua carta sono cifrati e ${merchant} non li vede mai.`,
  acceptTerms: (merchant) => `Pagando accetta i termini e le condizioni di ${merchant}`,
  newTab: '(si apre in una nuova scheda)',
  noScript:
    'I dati della Sua carta vanno direttamente dal browser al sistema di pagamento, che richiede JavaScript. Lo attivi e ricarichi questa pagina.',
  declined: { title: 'Il pagamento non è stato effettuato', ...declinedIn.it },
  troubles: {
    tooMany: 'Ci sono stati troppi tentativi. Attenda un minuto e riprovi.',
    offline: 'Non c’è connessione. Controlli la Sua; questa pagina verifica da sola se ha pagato.',
    failed: 'Qualcosa qui non ha funzionato e non è stato addebitato nulla. Riprovi.',
  },
  processing: {
    title: 'Il Suo pagamento è in elaborazione',
    text: 'Questa pagina prosegue da sola. Non paghi di nuovo, per favore.',
  },
  approval: {
    title: 'Ha iniziato a pagare',
    text: 'Il pagamento attende la Sua approvazione. Continui da dove era o scelga un altro metodo di pagamento.',
    goOn: 'Continua',
    otherWay: 'Paga in un altro modo',
  },
  completed: {
    title: 'Grazie',
    paid: (amount, merchant) => `Ha pagato ${amount} a ${merchant}.`,
    booking: (amount, merchant) =>
      `Il Suo pagamento di ${amount} a ${merchant} è stato accettato e viene completato.`,
    reserved: (amount, merchant) =>
      `L’importo di ${amount} è riservato per ${merchant}. Non è ancora stato addebitato nulla.`,
    kept: (merchant) =>
      `D’ora in poi ${merchant} può addebitare la Sua carta. Non è ancora stato addebitato nulla.`,
    checked: 'La Sua carta è stata verificata. Non è stato addebitato nulla.',
    noLongerKept: (merchant) =>
      `Il Suo pagamento a ${merchant} è completato. I dettagli non sono più mostrati qui.`,
  },
  receipt: {
    title: 'Dettagli del pagamento',
    reference: 'Riferimento',
    time: 'Data e ora',
    amount: 'Importo',
    method: 'Mezzo di pagamento',
    print: 'Stampa',
  },
  released: {
    title: 'Il pagamento è stato annullato',
    text: (amount, merchant) =>
      `${merchant} ha sbloccato l’importo di ${amount}. Non è stato addebitato nulla.`,
  },
  expired: {
    title: 'Questo link di pagamento è scaduto',
    text: (merchant) => `Non è stato addebitato nulla. Chieda a ${merchant} un nuovo link.`,
  },
  exhausted: {
    title: 'Questo link non accetta più pagamenti',
    text: (merchant) =>
      `Qui sono stati rifiutati troppi pagamenti. Non è stato addebitato nulla. Chieda a ${merchant} un nuovo link.`,
  },
  unavailable: {
    title: 'Al momento qui non si può pagare',
    text: (merchant) => `Non è stato addebitato nulla. Riprovi più tardi o chieda a ${merchant} come pagare.`,
  },
  unknown: {
    title: 'Questo link di pagamento non esiste',
    text: 'Il link potrebbe essere incompleto. Lo apra di nuovo da dove lo ha ricevuto.',
  },
  failed: {
    title: 'Al momento questa pagina non funziona',
    text: 'La ricarichi tra un attimo. Nulla viene pagato due volte.',
  },
  backTo: (merchant) => `Torna a ${merchant}`,
}
