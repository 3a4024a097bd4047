/**
 * Operations that begin, cancel and report checks of the volume (P 6.8d). Operators ask for them.
 */
package org.weft.metadata.volume.operation.check;
