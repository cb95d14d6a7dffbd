import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import './style.css'

const place = document.getElementById('app')
if (!place) throw new Error('the document has no place for the dashboard')
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
