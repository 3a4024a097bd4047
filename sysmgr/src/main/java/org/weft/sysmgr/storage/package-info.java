/** The data directory of a SysMgr member: whose it is, the join token, and where the log lies. */
package org.weft.sysmgr.storage;
