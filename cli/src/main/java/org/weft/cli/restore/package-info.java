/** {@code weft sysmgr restore}: builds SysMgr again from the copies that OSDs keep. */
package org.weft.cli.restore;
