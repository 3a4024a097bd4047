/** How a gateway speaks with SysMgr. */
package org.weft.nfs.daemon;
