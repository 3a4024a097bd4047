/**
 * A volume that is checked and not served (P 6.8d). Its journal is laid over what OSDs hold, in
 * memory, without any write. Uses {@code care}, {@code request} and {@code sysmgr}. Confined to the
 * volume's thread.
 */
package org.weft.metadata.serving.offline;
