// The page of `spall open` and `spall serve`: opens what the server was started with.
import { TraceView } from './ui/element.js';
import { toAddress } from './ui/address.js';
import { open, started } from './http.js';

TraceView.load = open;
customElements.define('trace-view', TraceView);
const { files, place } = await started();
if (!location.hash) history.replaceState(null, '', toAddress(place));
document.querySelector('trace-view')?.open(files);
