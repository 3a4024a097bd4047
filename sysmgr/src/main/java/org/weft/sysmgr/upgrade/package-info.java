/** What members of SysMgr of different releases understand of each other (P 6.8.151). */
package org.weft.sysmgr.upgrade;
