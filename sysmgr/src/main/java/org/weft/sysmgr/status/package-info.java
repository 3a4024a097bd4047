/** What is wrong with a cluster, in sentences for a person, each with what to do about it. Pure. */
package org.weft.sysmgr.status;
