/** What strangers, other users and other people's disks try, against real processes. */
package org.weft.it.attack;
