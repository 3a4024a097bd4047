/** What a second manager costs, and a change of SysMgr's configuration (P 5.2, 5.4). */
package org.weft.bench.pair;
