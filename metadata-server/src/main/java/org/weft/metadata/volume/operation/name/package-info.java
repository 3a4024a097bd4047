/**
 * Operations that make, list, move and remove names of the namespace, and the changes of
 * directories and nodes that these come to (P 6.6, 6.7). Clients ask for them. {@code number},
 * {@code salvage} and {@code volume} use the changes. Uses {@code grant}, since a file is created
 * open.
 */
package org.weft.metadata.volume.operation.name;
