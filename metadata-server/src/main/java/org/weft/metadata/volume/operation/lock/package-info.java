/**
 * Operations on byte-range locks (P 6.5, 6.5f). Clients and gateways ask for them, and the manager
 * itself when locks were kept too long. Uses {@code number} to find a node that is named by its
 * number.
 */
package org.weft.metadata.volume.operation.lock;
