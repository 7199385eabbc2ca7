/** What Node.js 20 and 22 lack and the sources use. */
import "core-js/actual/async-disposable-stack/index.js";
import "core-js/actual/map/group-by.js";
import "core-js/actual/promise/with-resolvers.js";
