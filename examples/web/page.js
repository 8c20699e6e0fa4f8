// The page of the viewer is one element. `?trace=PATH` opens a file that lies beside the page, and may be repeated.
import './trace-view.js';

const [view] = document.getElementsByTagName('trace-view');
const paths = new URLSearchParams(location.search).getAll('trace');
if (paths.length) view.open(paths);
document.querySelector('#sample')?.addEventListener('click', () => view.open(['record.spall']));
