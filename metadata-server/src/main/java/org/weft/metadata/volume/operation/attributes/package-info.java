/**
 * Operations that tell or change the attributes of a node: modes, owners and times, ACLs, extended
 * attributes, the layout. Clients ask for them.
 */
package org.weft.metadata.volume.operation.attributes;
