/**
 * Operations on quotas: how a new tree is counted, and what each record changes in the usage of
 * trees (P 6.6a). Operators ask for them; the machine has each record settled here, and goes on
 * with trees that are being counted.
 */
package org.weft.metadata.volume.operation.quota;
