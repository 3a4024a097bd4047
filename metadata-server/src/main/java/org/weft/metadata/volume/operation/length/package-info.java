/**
 * Operations that change how long a file is or is said to be: published lengths and cuts (P 4.3).
 * Clients ask for them, and the manager itself when it finishes a cut.
 */
package org.weft.metadata.volume.operation.length;
