/**
 * Usage and limits of directory trees, and the shares of them that are promised to writers (P
 * 6.6a). Pure: no IO, no clock.
 */
package org.weft.metadata.quota;
