/**
 * A gateway of little memory, and a crowd of clients that say nothing, are slow, or are hostile.
 */
package org.weft.nfs.crowd;
