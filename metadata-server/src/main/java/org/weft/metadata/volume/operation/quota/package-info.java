/**
 * Operations on quotas: how a new tree is counted, and what each record changes in the usage of
 * trees (P 6.6a). Operators ask for them. The machine has each record settled here, and continues
 * the counting of trees.
 */
package org.weft.metadata.volume.operation.quota;
