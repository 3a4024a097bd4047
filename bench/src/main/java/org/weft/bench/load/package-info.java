/** Loads on a file system: the same work and the same accounting, whichever it is. */
package org.weft.bench.load;
