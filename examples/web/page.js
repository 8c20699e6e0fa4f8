// The page of the viewer is one element. `?trace=PATH` opens a file that lies beside the page, and may be repeated. Without one, the
// page opens again what its address names, if it can.
import './trace-view.js';

const [view] = document.getElementsByTagName('trace-view');
const paths = new URLSearchParams(location.search).getAll('trace');
if (paths.length) view.open(paths);
else view.again();
document.querySelector('#sample')?.addEventListener('click', () => view.open(['record.spall']));
